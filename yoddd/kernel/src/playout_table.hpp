// Which instance of the loop serves which board. Included after playout_loop.hpp, in its
// namespace.

template <bool Hex, bool Wide, int Sweeps>
struct Instances {
    static PlayoutLoop batch(bool own) {
        return own ? &Loop<Hex, Wide, Sweeps, true>::batch : &Loop<Hex, Wide, Sweeps, false>::batch;
    }
    static SingleLoop single(bool own) {
        return own ? &Loop<Hex, Wide, Sweeps, true>::single
                   : &Loop<Hex, Wide, Sweeps, false>::single;
    }
};

// Calls `use` with the instances for a board; sizes that share a number of sweeps share code.
template <bool Hex, class Use>
auto with_instances(int span, Use use) {
    const int sweeps = (span + sweep_bytes - 1) / sweep_bytes;
    if (sweeps <= 4) return use(Instances<Hex, false, 4>{});
    if (sweeps <= 8) return use(Instances<Hex, false, 8>{});
    if (sweeps <= 12) return use(Instances<Hex, false, 12>{});
    return use(Instances<Hex, false, 22>{});
}

template <class Use>
auto for_board(const Geometry& g, Use use) {
    if (g.wide) return use(Instances<false, true, 2 * 22>{});
    return g.shape == Shape::hex ? with_instances<true>(g.span, use)
                                 : with_instances<false>(g.span, use);
}

inline PlayoutLoop batch_loop(const Geometry& g, bool own) {
    return for_board(g, [own](auto instances) { return instances.batch(own); });
}

inline SingleLoop single_loop(const Geometry& g, bool own) {
    return for_board(g, [own](auto instances) { return instances.single(own); });
}
