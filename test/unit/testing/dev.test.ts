/** The arguments of `desktop-pds dev`. */
import { describe, expect, test } from 'vitest'
import { devHelp, readDevArgs, runDev, UsageError } from '../../../server/testing/dev.ts'
import { outputOf } from '../../support/testing/output.ts'

describe('readDevArgs', () => {
  test('without arguments: random values, a clock that runs, and the usual port', () => {
    const { seed, ...rest } = readDevArgs([])
    expect(seed).toSatisfy(Number.isInteger)
    expect(rest).toEqual({ clock: 'real', port: 2583 })
  })

  test('with a seed: a logical clock that begins at a fixed time', () => {
    expect(readDevArgs(['--seed', '7'])).toEqual({ seed: 7, port: 2583 })
  })

  test('all options, in both forms', () => {
    const args = ['--seed=0', '--servers', '3', '--port=0', '--world', 'sample', '--now=2027-02-03T04:05:06Z']
    expect(readDevArgs([...args, '--data-dir', 'folder'])).toEqual({
      ...{ seed: 0, servers: 3, port: 0, world: 'sample', now: '2027-02-03T04:05:06Z', dataDir: 'folder' },
    })
  })

  test('everything after --exec belongs to the command', () => {
    expect(readDevArgs(['--seed', '1', '--exec', 'npm', 'test', '--', '--seed', '2', '--exec'])).toEqual({
      ...{ seed: 1, port: 2583, exec: ['npm', 'test', '--', '--seed', '2', '--exec'] },
    })
  })

  test.each<[readonly string[], string]>([
    [['--seed', 'x'], '--seed must be a whole number from 0 to 9007199254740991.'],
    [['--seed', '-1'], "Option '--seed' argument is ambiguous"],
    [['--servers', '0'], '--servers must be a whole number from 1 to 9.'],
    [['--servers', '10'], '--servers must be a whole number from 1 to 9.'],
    [['--servers', '1.5'], '--servers must be a whole number from 1 to 9.'],
    [['--port', '65536'], '--port must be a whole number from 0 to 65000.'],
    [['--now', 'tomorrow'], '--now must be a time such as 2026-01-01T12:00:00Z.'],
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
