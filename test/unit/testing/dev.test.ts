/** The arguments of `desktop-pds dev`. */
import { describe, expect, test } from 'vitest'
import { defaultConfig } from '../../../server/platform/config/config.ts'
import { devHelp, readDevArgs, runDev } from '../../../server/testing/dev.ts'
import { spawnedBy, UsageError } from '../../../server/testing/exec.ts'
import { outputOf } from '../../support/testing/output.ts'

describe('readDevArgs', () => {
  test('without arguments: random values, a clock that runs, and a port of its own', () => {
    const { seed, ...rest } = readDevArgs([])
    expect(seed).toSatisfy(Number.isInteger)
    expect(rest).toEqual({ clock: 'real', port: 2683 })
    const { port } = defaultConfig({ dataDir: 'none' })
    // Nine servers and the directory have the ports after it.
    expect(port < 2683 || port > 2683 + 9).toBe(true)
  })

  test('with a seed: a logical clock that begins at a fixed time', () => {
    expect(readDevArgs(['--seed', '7'])).toEqual({ seed: 7, port: 2683 })
  })

  test('all options, in both forms', () => {
    const args = ['--seed=0', '--servers', '3', '--port=0', '--world', 'sample', '--now=2027-02-03T04:05:06Z']
    expect(readDevArgs([...args, '--data-dir', 'folder'])).toEqual({
      ...{ seed: 0, servers: 3, port: 0, world: 'sample', now: '2027-02-03T04:05:06Z', dataDir: 'folder' },
    })
  })

  test('everything after --exec belongs to the command', () => {
    expect(readDevArgs(['--seed', '1', '--exec', 'npm', 'test', '--', '--seed', '2', '--exec'])).toEqual({
      ...{ seed: 1, port: 2683, exec: ['npm', 'test', '--', '--seed', '2', '--exec'] },
    })
  })

  test.each<[readonly string[], string]>([
    [['--seed', 'x'], '--seed must be a whole number from 0 to 9007199254740991.'],
    [['--seed', '-1'], "Option '--seed' argument is ambiguous"],
    [['--servers', '0'], '--servers must be a whole number from 1 to 9.'],
    [['--servers', '10'], '--servers must be a whole number from 1 to 9.'],
    [['--servers', '1.5'], '--servers must be a whole number from 1 to 9.'],
    [['--port', '65536'], '--port must be a whole number from 0 to 65000.'],
    [['--now', 'tomorrow'], '--now must be a time from 1970 to 9999 such as 2026-01-01T12:00:00Z.'],
    [['--exec'], '--exec needs a command.'],
    [['--exec', ''], '--exec needs a command.'],
    [['--word', 'sample'], "Unknown option '--word'"],
    [['sample'], "Unexpected argument 'sample'"],
    [['--world'], "Option '--world <value>' argument missing"],
  ])('%j is refused', (args, message) => {
    expect(() => readDevArgs(args)).toThrow(UsageError)
    expect(() => readDevArgs(args)).toThrow(message)
  })
})

describe('a command on Windows', () => {
  const { shell, words } = {
    shell: 'cmd.exe',
    words: ['npx', 'vitest', 'a b', '', 'x&calc', '%PATH%', 'say "hi"', 'C:\\a\\'],
  }

  test('is started by cmd.exe, with each argument quoted', () => {
    expect(spawnedBy('win32', words, shell)).toEqual({
      ...{ file: shell, windowsVerbatimArguments: true },
      args: ['/d', '/s', '/c', expect.stringMatching(/^"npx .*"$/)],
    })
  })

  test('gets its arguments as they are', () => {
    const { args } = spawnedBy('win32', words, shell)
    expect(argumentsOf(afterShell(args[3] ?? ''))).toEqual(words)
  })

  test('elsewhere there is no shell', () => {
    expect(spawnedBy('linux', words)).toEqual({ file: 'npx', args: words.slice(1) })
  })
})

/** What cmd.exe /s /c makes of its text: the outer quotes are removed, and each ^ before a character. It must leave no other special one. */
function afterShell(text: string): string {
  const line = text.slice(1, -1)
  expect(line.replaceAll(/\^./g, '')).not.toMatch(/[()\][%!^"`<>&|;,*?]/)
  return line.replaceAll(/\^(.)/g, '$1')
}

/** The arguments of a command line, by the rules of `CommandLineToArgvW`. */
function argumentsOf(line: string): string[] {
  const words = ['']
  let isQuoted = false
  const add = (text: string) => words.push(`${words.pop()}${text}`)
  for (const [, slashes = '', next = ''] of line.matchAll(/(\\*)([^\\]|$)/g)) {
    if (next !== '"') add(slashes)
    else add('\\'.repeat(Math.floor(slashes.length / 2)))
    const isOfText = next === '"' && slashes.length % 2 === 1
    if (next === ' ' && !isQuoted) words.push('')
    else if (next === '"' && !isOfText) isQuoted = !isQuoted
    else add(next)
  }
  return words
}

describe('runDev', () => {
  const run = (...args: string[]) => outputOf(() => runDev(args))

  test('prints its help, which names all options', async () => {
    expect(await run('--seed', '1', '-h')).toEqual({ code: 0, text: devHelp })
    for (const option of ['seed', 'servers', 'port', 'world', 'now', 'data-dir', 'exec'])
      expect(devHelp).toContain(`--${option} `)
  })

  test('answers mistakes with a sentence and exit code 2', async () => {
    expect(await run('--servers', 'two')).toEqual({
      code: 2,
      text: '--servers must be a whole number from 1 to 9.\n',
    })
    const { code, text } = await run('--port', '0', '--world', 'none.json')
    expect([code, text]).toEqual([2, expect.stringContaining('none.json')])
  })
})
