import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../../../server/platform/config/config.ts'
import {
  type KeptTexts,
  openKeptSettings,
  readKept,
} from '../../../../server/platform/config/kept-settings.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'pds-settings-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

/** What a start with a command makes of the file. */
async function start(args: readonly string[] = [], env: Record<string, string> = {}) {
  const kept = await readKept(dataDir)
  const levels: string[] = []
  const apply = { logLevel: (level: string) => void levels.push(level) }
  const settings = openKeptSettings({ env, args, dataDir, kept, apply })
  const find = (name: string) => settings.list().find((each) => each.name === name)
  return { settings, find, levels, config: readConfig({ env, args }, kept) }
}

const write = (content: string) => writeFileSync(join(dataDir, 'settings.json'), content)

test('a change waits for the next start, which applies it', async () => {
  const { settings, find, config } = await start()
  expect(config.port).toBe(2583)
  expect(find('port')).toEqual({
    ...{ name: 'port', value: '', fallback: '2583', fixedBy: undefined, isWaiting: false },
  })
  expect(await settings.change({ port: '4000', userDomains: '.example.com' })).toEqual({})
  expect(find('port')).toMatchObject({ value: '4000', isWaiting: true })
  expect(find('relays')).toMatchObject({ isWaiting: false })
  expect((await stat(settings.file)).mode & 0o777).toBe(0o600)

  const next = await start()
  expect(next.config).toMatchObject({ port: 4000, userDomains: ['.example.com'] })
  expect(next.find('port')).toMatchObject({ value: '4000', isWaiting: false })
  expect(await next.settings.change({ port: '' })).toEqual({})
  expect((await start()).config).toMatchObject({ port: 2583, userDomains: ['.example.com'] })
})

test('a change back to the running value waits for nothing', async () => {
  const { settings, find } = await start()
  await settings.change({ dailyBackups: 'off' })
  expect(find('dailyBackups')).toMatchObject({ isWaiting: true })
  await settings.change({ dailyBackups: '' })
  expect(find('dailyBackups')).toMatchObject({ isWaiting: false })
})

test('what was edited in the file meanwhile stays, also settings of a newer version; a damaged file is not replaced', async () => {
  const { settings, find } = await start()
  write('{"relays":"https://relay.example.com","later":{"a":1}}')
  expect(await settings.change({ port: '4000' })).toEqual({})
  expect(JSON.parse(readFileSync(settings.file, 'utf8'))).toEqual({
    ...{ relays: 'https://relay.example.com', later: { a: 1 }, port: '4000' },
  })
  expect(find('relays')).toMatchObject({ value: 'https://relay.example.com', isWaiting: true })
  write('{"port":"40')
  await expect(settings.change({ port: '5000' })).rejects.toThrow('is damaged. Correct it')
  expect(readFileSync(settings.file, 'utf8')).toBe('{"port":"40')
})

test('flags and variables override the file, and cannot be changed', async () => {
  await (await start()).settings.change({ port: '4000', logLevel: 'warn' })
  const { settings, find, config } = await start(['--port', '5000'], { PDS_LOG_LEVEL: 'error' })
  expect(config).toMatchObject({ port: 5000, logLevel: 'error' })
  expect(find('port')).toMatchObject({ value: '5000', fixedBy: '--port' })
  expect(find('logLevel')).toMatchObject({ value: 'error', fixedBy: 'PDS_LOG_LEVEL' })
  expect(await settings.change({ port: '6000' })).toEqual({ port: 'This is set by --port.' })
  expect((await start()).config.port).toBe(4000)
})

test('the level of the log applies at once', async () => {
  const { settings, find, levels } = await start()
  await settings.change({ logLevel: 'debug', port: '4000' })
  await settings.change({ logLevel: '' })
  expect(levels).toEqual(['debug', 'info'])
  expect(find('logLevel')).toMatchObject({ isWaiting: false })
})

test('with a wrong value nothing is changed', async () => {
  const { settings } = await start()
  const problems = async (changes: KeptTexts) => Object.keys(await settings.change(changes))
  expect(await problems({ port: 'x', userDomains: '.example.com' })).toEqual(['port'])
  expect(await problems({ port: '0' })).toEqual(['port'])
  expect(await problems({ logLevel: 'loud', dailyBackups: 'sometimes' })).toEqual([
    'dailyBackups',
    'logLevel',
  ])
  expect(await problems({ appViewDid: 'did:web:view.example' })).toEqual(['appViewUrl'])
  expect(await readKept(dataDir)).toEqual({})
})

test('changes at the same time are all kept', async () => {
  const { settings } = await start()
  await Promise.all([settings.change({ port: '4000' }), settings.change({ inviteRequired: 'on' })])
  expect(await readKept(dataDir)).toEqual({ port: '4000', inviteRequired: 'on' })
})

test('a damaged file stops the start with a sentence; names of other settings in it do nothing', async () => {
  for (const content of ['{', '[]', 'null', '{"port":1}', '{"port":"x"}']) {
    write(content)
    await expect(readKept(dataDir)).rejects.toThrow(
      /settings\.json (is damaged|has an invalid value of port)/,
    )
  }
  write('{"hosts":"0.0.0.0","allowPrivateTargets":"on","adminPassword":"a password","port":"4000"}')
  expect(await readKept(dataDir)).toEqual({ port: '4000' })
})
