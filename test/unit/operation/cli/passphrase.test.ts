/** Passphrases of one-file backups on the command line. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { choosePassphrase, readPassphrase } from '../../../../server/operation/cli/passphrase.ts'

/** A terminal at which a person answers each question with the next line. */
class TypingPerson {
  readonly stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode: (isRaw: boolean) => {
      this.stdin.isRaw = isRaw
    },
  })
  readonly stderr = new PassThrough()
  /** The text on the screen. */
  screen = ''
  readonly #lines: string[]

  constructor(...lines: string[]) {
    this.#lines = lines
    this.stderr.on('data', (shown: Buffer) => {
      this.screen += shown
      if (!this.screen.endsWith(': ')) return
      // In raw mode the terminal itself does not show typed characters.
      expect(this.stdin.isRaw).toBe(true)
      setImmediate(() => this.stdin.write(`${this.#lines.shift()}\r`))
    })
  }
}

describe('in a terminal', () => {
  test('a new passphrase is asked for twice, and is not shown', async () => {
    const person = new TypingPerson('correct horse', 'correct horse')
    expect(await choosePassphrase(undefined, person)).toBe('correct horse')
    expect(person.screen).toBe('Passphrase (empty for no encryption): \nRepeat the passphrase: \n')
    expect(person.stdin.isRaw).toBe(false)
  })

  test('an empty line chooses none, and two different lines are refused', async () => {
    expect(await choosePassphrase(undefined, new TypingPerson(''))).toBeUndefined()
    await expect(choosePassphrase(undefined, new TypingPerson('one', 'two'))).rejects.toThrow(
      'The two passphrases differ. Nothing was written. Run the command again.',
    )
  })

  test('the passphrase of an existing backup is asked for once', async () => {
    const person = new TypingPerson('Grüße 🔑')
    expect(await readPassphrase(undefined, person)).toBe('Grüße 🔑')
    expect(person.screen).toBe('Passphrase: \n')
  })
})

test('without a terminal a new passphrase needs a file, and an existing one is undefined', async () => {
  const pipes = { stdin: new PassThrough(), stderr: new PassThrough() }
  await expect(choosePassphrase(undefined, pipes)).rejects.toThrow('Use --passphrase-file FILE')
  expect(await readPassphrase(undefined, pipes)).toBeUndefined()
})

describe('from a file', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pds-passphrase-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test.each([choosePassphrase, readPassphrase])('%o reads the first line', async (read) => {
    const file = join(folder, 'passphrase')
    await writeFile(file, 'from a file\r\nsecond line')
    expect(await read(file)).toBe('from a file')
    await writeFile(file, '\nsecond line')
    await expect(read(file)).rejects.toThrow('It must be the passphrase')
  })
})
