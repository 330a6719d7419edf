// Short synthesised sounds.

/** @type {AudioContext | null} */
let audio = null;

/** @param {number} pitch @param {number} length @param {number} loudness @param {number} [delay] */
function tone(pitch, length, loudness, delay = 0) {
  audio ??= new AudioContext();
  const start = audio.currentTime + delay;
  const source = audio.createOscillator();
  const volume = audio.createGain();
  source.type = 'triangle';
  source.frequency.setValueAtTime(pitch, start);
  source.frequency.exponentialRampToValueAtTime(pitch * 0.6, start + length);
  volume.gain.setValueAtTime(loudness, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + length);
  source.connect(volume).connect(audio.destination);
  source.start(start);
  source.stop(start + length);
}

/** @typedef {'stone' | 'turn' | 'refused' | 'over'} Sound */

/** @param {Sound} event */
export function play(event) {
  // Browsers allow sound only after the user has touched the page.
  if (!navigator.userActivation?.hasBeenActive) return;
  if (event === 'stone') tone(420, 0.06, 0.12);
  if (event === 'turn') tone(300, 0.1, 0.2);
  if (event === 'refused') {
    tone(160, 0.12, 0.16);
    tone(140, 0.14, 0.16, 0.1);
  }
  if (event === 'over') {
    tone(392, 0.2, 0.15);
    tone(523, 0.3, 0.15, 0.16);
  }
}
