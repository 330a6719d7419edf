"""The client that the headers of a proxy name."""

from __future__ import annotations

import pytest
from twisted.web.http_headers import Headers

from yoddd.daemon.base.admission.admission import is_within
from yoddd.daemon.net.proxies import client_of

FAR = "203.0.113.9"
PROXY = "10.0.0.1"


def client(*fields: tuple[str, str], peer: str | None = PROXY) -> str | None:
    headers = Headers()
    for name, value in fields:
        headers.addRawHeader(name.encode(), value.encode())
    return client_of(headers, peer, lambda host: is_within(host, ("10.0.0.0/8", "::1/128")))


@pytest.mark.parametrize(
    ("value", "host"),
    [
        (FAR, FAR),
        (f"127.0.0.1, {FAR}", FAR),
        (f"nonsense, , {FAR}", FAR),
        (f"{FAR}, 10.0.0.2 , 10.0.0.3", FAR),
        (f"{FAR},::1", FAR),
        ("10.0.0.7, 10.0.0.2", "10.0.0.7"),
        ("10.0.0.7", "10.0.0.7"),
        (f"{FAR}:4711", FAR),
        ("2001:db8::1", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("[2001:DB8::1]:4711", "2001:db8::1"),
    ],
)
def test_client_of_x_forwarded_for_is_the_right_most_stranger(value: str, host: str) -> None:
    assert client(("X-Forwarded-For", value)) == host


@pytest.mark.parametrize(
    ("fields", "host"),
    [
        (["for=" + FAR], FAR),
        ([f"for=127.0.0.1, proto=https;For={FAR} ;by=10.0.0.1"], FAR),
        ([f'for="{FAR}:80", for=10.0.0.2'], FAR),
        (['for="[2001:db8::1]:4711"'], "2001:db8::1"),
        ([f'for="unfinished, for={FAR}'], FAR),
        (["for=198.51.100.1", f"for={FAR}, for=10.0.0.2"], FAR),
        ([], PROXY),
    ],
)
def test_client_of_forwarded_is_the_right_most_stranger(fields: list[str], host: str) -> None:
    assert client(*(("forwarded", value) for value in fields)) == host


def test_client_of_both_headers_is_that_of_x_forwarded_for() -> None:
    assert client(("Forwarded", "for=198.51.100.1"), ("X-Forwarded-For", FAR)) == FAR
    assert client(peer=None) is None


@pytest.mark.parametrize(
    "field",
    [
        *(
            ("X-Forwarded-For", value)
            for value in (
                *("", "unknown", "a.example", "203.0.113", "203.0.113.999", "[::1", "1.2.3.4:x"),
                *(f"{FAR},", f"{FAR}, bad, 10.0.0.2", "fe80::1%eth0", "127.0.0.1/8", "\xb2.1.1.1"),
            )
        ),
        *(("Forwarded", value) for value in ("", "proto=https", "for=unknown", "for=_x", "for")),
    ],
)
def test_client_of_a_malformed_header_is_refused(field: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match=r"appear to be|zone"):
        client(field)
