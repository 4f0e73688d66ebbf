/** Record keys of the kind `tid`. */

const alphabet = '234567abcdefghijklmnopqrstuvwxyz'
const length = 13

/** Returns a new key: the time in microseconds and a random clock identifier, so that keys of different clients differ. */
export function newTid(now = Date.now()): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
  const micros = BigInt(now) * 1000n + BigInt((random >>> 10) % 1000)
  let value = (micros << 10n) | BigInt(random & 0x3ff)
  let key = ''
  for (let at = 0; at < length; at++, value >>= 5n) key = alphabet.charAt(Number(value & 31n)) + key
  return key
}
