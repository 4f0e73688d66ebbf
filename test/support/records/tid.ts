/** Record keys and revisions, made independently of the server's code. */

const alphabet = '234567abcdefghijklmnopqrstuvwxyz'

/** Returns the TID of a time: 11 characters of microseconds since 1970, two of the clock. */
export function tidOf(time: number): string {
  let text = ''
  for (let rest = time; text.length < 11; rest = Math.floor(rest / 32)) {
    text = alphabet.charAt(rest % 32) + text
  }
  return `${text}22`
}
