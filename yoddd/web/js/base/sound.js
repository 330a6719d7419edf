// Short synthesised sounds. They are files in memory and not oscillators: to begin an AudioContext
// holds the page up for a tenth of a second while the browser starts its audio service.

/** @typedef {'stone' | 'turn' | 'refused' | 'over'} Sound */
/** @typedef {{pitch: number, length: number, loudness: number, delay?: number}} Tone seconds and hertz */

/** Samples a second. */
const RATE = 22_050;
/** The pitch at the end of a tone, as a part of that at its beginning. */
const FALL = 0.6;
/** The loudness at its end. */
const SILENCE = 0.001;

/** @type {Record<Sound, Tone[]>} */
const TONES = {
  stone: [{ pitch: 420, length: 0.06, loudness: 0.12 }],
  turn: [{ pitch: 300, length: 0.1, loudness: 0.2 }],
  refused: [
    { pitch: 160, length: 0.12, loudness: 0.16 },
    { pitch: 140, length: 0.14, loudness: 0.16, delay: 0.1 },
  ],
  over: [
    { pitch: 392, length: 0.2, loudness: 0.15 },
    { pitch: 523, length: 0.3, loudness: 0.15, delay: 0.16 },
  ],
};

/** The sounds that have been played. @type {Map<Sound, HTMLAudioElement>} */
const made = new Map();

/** Plays a sound after what it belongs to: making it must not hold up the drawing. @param {Sound} event */
export function play(event) {
  // Browsers allow sound only after the user has touched the page.
  if (navigator.userActivation?.hasBeenActive) setTimeout(start, 0, event);
}

/** @param {Sound} event */
function start(event) {
  const audio = made.get(event) ?? new Audio(URL.createObjectURL(wave(TONES[event])));
  made.set(event, audio);
  audio.currentTime = 0;
  audio.play().catch(() => {}); // a machine without a loudspeaker
}

/** A sound as a WAV file of one channel with 16 bits a sample. @param {Tone[]} tones */
function wave(tones) {
  const samples = mix(tones);
  const bytes = samples.byteLength;
  // RIFF, WAVE, "fmt ", and data, in words of 32 bits, the lowest byte first.
  const header = new Uint32Array([
    ...[0x46464952, 36 + bytes, 0x45564157, 0x20746d66, 16, (1 << 16) + 1, RATE, 2 * RATE],
    ...[(16 << 16) + 2, 0x61746164, bytes],
  ]);
  return new Blob([header, samples], { type: 'audio/wav' });
}

/** Triangle waves that fall in pitch and loudness. @param {Tone[]} tones */
function mix(tones) {
  const end = Math.max(...tones.map(({ length, delay = 0 }) => length + delay));
  const samples = new Int16Array(Math.ceil(end * RATE));
  for (const { pitch, length, loudness, delay = 0 } of tones) {
    const start = Math.round(delay * RATE);
    let phase = 0.25; // where the wave crosses zero
    for (let at = 0; at < length * RATE; at += 1) {
      const part = at / (length * RATE);
      phase += (pitch * FALL ** part) / RATE;
      const height = 4 * Math.abs((phase % 1) - 0.5) - 1;
      samples[start + at] += 0x7fff * height * loudness * (SILENCE / loudness) ** part;
    }
  }
  return samples;
}
