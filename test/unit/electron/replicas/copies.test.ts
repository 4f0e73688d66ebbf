/** Places of copies as the desktop's page describes them, and when the desktop reports copies. */
import { describe, expect, test, vi } from 'vitest'
import type { PlaceInput } from '../../../../electron/ground/bridge.ts'
import { keepCredentials } from '../../../../electron/replicas/copies-keeper.ts'
import { noticeOf } from '../../../../electron/replicas/copy-notices.ts'
import { isPlaceInput } from '../../../../electron/replicas/restore-sources.ts'
import { CredentialsUnavailable, loadCredentials } from '../../../../server/operation/replicas/credentials.ts'
import { namePlace } from '../../../../server/operation/replicas/places/describe.ts'

const place = (fields: Partial<PlaceInput>): PlaceInput => ({
  ...{ kind: 'folder', address: '', user: '', bucket: '', region: '', accessKeyId: '', secret: '' },
  ...fields,
})

describe('places', () => {
  test.each([
    [{ address: '/media/a disk, red' }, 'file:///media/a%20disk%2C%20red'],
    [
      { kind: 'webdav', address: 'https://cloud.test/dav/me/', user: 'me@cloud.test' },
      'webdav+https://me%40cloud.test@cloud.test/dav/me',
    ],
    [{ kind: 'webdav', address: 'cloud.test', user: 'me' }, 'webdav+https://me@cloud.test'],
    [
      { kind: 's3', address: 'https://s3.test', bucket: 'copies/server', region: 'eu-1' },
      's3://copies/server?endpoint=https%3A%2F%2Fs3.test&region=eu-1',
    ],
  ] as const)('%o is named %s', (fields, url) => {
    expect(namePlace(place(fields))).toMatchObject({ url })
  })

  test('passwords and keys are credentials, not part of the URL', () => {
    const webdav = place({ kind: 'webdav', address: 'https://cloud.test', user: 'me', secret: 'word' })
    expect(namePlace(webdav)).toMatchObject({ credentials: { password: 'word' } })
    const keys = { accessKeyId: 'id', secret: 'secret' }
    expect(namePlace(place({ kind: 's3', address: 's3.test', bucket: 'copies', ...keys }))).toMatchObject({
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    })
  })

  test.each([
    [{ address: 'disk' }, 'address'],
    [{ kind: 'webdav', address: 'ftp://cloud.test', user: 'me' }, 'address'],
    [{ kind: 'webdav', address: 'https://me:word@cloud.test', user: 'me' }, 'address'],
    [{ kind: 'webdav', address: 'https://cloud.test' }, 'user'],
    [{ kind: 's3', address: 'https://s3.test', bucket: 'No Bucket' }, 'bucket'],
  ] as const)('%o has a problem in %s', (fields, field) => {
    expect(() => namePlace(place(fields))).toThrow(expect.objectContaining({ field }))
  })

  test('descriptions with missing, additional or wrong fields are refused', () => {
    expect(isPlaceInput(place({}))).toBe(true)
    expect(isPlaceInput({ ...place({}), kind: 'ftp' })).toBe(false)
    expect(isPlaceInput({ ...place({}), more: '' })).toBe(false)
    expect(isPlaceInput({ kind: 'folder', address: '' })).toBe(false)
    expect(isPlaceInput(place({ address: 'x'.repeat(3000) }))).toBe(false)
  })
})

describe('credentials', () => {
  const dataDir = '/no data'

  function keeper(save: () => Promise<void>, saveMs?: number) {
    let saved: string | null = null
    const secrets = {
      isLoaded: () => true,
      read: () => saved,
      async save(_: string, text: string) {
        await save()
        saved = text
      },
    }
    return keepCredentials(secrets, { error() {} }, saveMs)
  }

  test('a key that the keyring refuses to save is not used', async () => {
    const refusing = keeper(() => Promise.reject(new Error('no keyring')))
    await expect(loadCredentials(refusing, dataDir)).rejects.toThrow('could not be saved')
    expect(await refusing.read()).toBeUndefined()
  })

  test('a key that a late keyring saves is used then, and no other one is made meanwhile', async () => {
    const unlocked = Promise.withResolvers<void>()
    const late = keeper(() => unlocked.promise, 0)
    await expect(loadCredentials(late, dataDir)).rejects.toThrow(CredentialsUnavailable)
    await expect(loadCredentials(late, dataDir)).rejects.toThrow(CredentialsUnavailable)
    await expect(late.write('{}')).rejects.toThrow(CredentialsUnavailable)
    unlocked.resolve()
    await vi.waitFor(async () => expect(await late.read()).toContain('AGE-SECRET-KEY-1'))
    const { identity } = (await loadCredentials(late, dataDir)).replicaKey
    expect((await loadCredentials(late, dataDir)).replicaKey.identity).toBe(identity)
  })
})

describe('notices', () => {
  const now = Date.parse('2026-01-02T10:00:00Z')
  const hour = 60 * 60_000
  const failing = (kind: 'unreachable' | 'elsewhere', hours: number) => ({
    problem: { kind, message: '', since: new Date(now - hours * hour) },
  })

  test('a place with a problem is reported after a day, another computer at once', () => {
    expect(noticeOf([], now)).toBeUndefined()
    expect(noticeOf([{ problem: undefined }, failing('unreachable', 23)], now)).toBeUndefined()
    expect(noticeOf([{ problem: undefined }, failing('unreachable', 24)], now)).toBe('late')
    expect(noticeOf([failing('unreachable', 48), failing('elsewhere', 0)], now)).toBe('elsewhere')
  })
})
