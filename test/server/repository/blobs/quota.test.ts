/** The room for files of accounts: a quota for all but the owner, and a reserve of the disk. */
import { beforeEach, describe, expect, test } from 'vitest'
import { type Account, refusal } from '../../../support/server/server.ts'
import { other as bob, owner, server, setupServer } from '../../../support/server/setup.ts'

let free: number

beforeEach(async () => {
  free = 10_000_000
})
setupServer({
  config: { accountMediaLimit: 3_000_000, accountImportLimit: 1_000_000, diskReserve: 5_000_000 },
  options: { freeBytes: async () => free },
  accounts: ['alice', 'bob'],
  per: 'test',
})

const send = (who: Account, method: string, type: string, body: Uint8Array | ReadableStream) =>
  server.fetch(`/xrpc/com.core.repo.${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${who.accessJwt}`, 'content-type': type },
    body,
    ...{ duplex: 'half' },
  } as RequestInit)

const upload = (who: Account, size: number, fill = 0, isStreamed = false) => {
  const bytes = new Uint8Array(size).fill(fill)
  return send(who, 'uploadBlob', 'text/plain', isStreamed ? new Blob([bytes]).stream() : bytes)
}

const status = async (who: Account) => (await server.get('com.core.server.checkAccountStatus', {}, who)).body

describe('the quota of an account', () => {
  test('refuses media beyond it, with and without an announced length', async () => {
    expect((await upload(bob, 2_000_000)).status).toBe(200)
    expect(await upload(bob, 1_500_000, 1)).toMatchObject(refusal(413, 'PayloadTooLarge'))
    expect(await upload(bob, 1_500_000, 1, true)).toMatchObject(refusal(413, 'PayloadTooLarge'))
    expect((await upload(bob, 1_000_000, 2)).status).toBe(200)
    expect(await status(bob)).toMatchObject({ mediaBytes: 3_000_000, mediaLimit: 3_000_000 })
  })

  test('holds for ten uploads at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => upload(bob, 400_000, n)))
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(7)
    expect((await status(bob)).mediaBytes).toBe(2_800_000)
  })

  test('does not bind the owner', async () => {
    expect((await upload(owner, 4_000_000)).status).toBe(200)
    expect(await status(owner)).not.toHaveProperty('mediaLimit')
  })

  test('limits an import', async () => {
    await server.post('com.core.server.deactivateAccount', {}, bob)
    const archive = new Uint8Array(1_100_000)
    expect(await send(bob, 'importRepo', 'application/vnd.ipld.car', archive)).toMatchObject(
      refusal(413, 'PayloadTooLarge'),
    )
  })
})

describe('the reserve of the disk', () => {
  test('refuses uploads, imports and records', async () => {
    free = 4_000_000
    expect(await upload(owner, 10)).toMatchObject(refusal(503, 'NotEnoughResources'))
    const post = { $type: 'app.example.feed.post', text: 'Hello', createdAt: '2030-01-01T00:00:00Z' }
    const input = { repo: owner.did, collection: 'app.example.feed.post', record: post }
    expect(await server.post('com.core.repo.createRecord', input, owner)).toMatchObject(
      refusal(503, 'NotEnoughResources'),
    )
    await server.post('com.core.server.deactivateAccount', {}, owner)
    const archive = await send(owner, 'importRepo', 'application/vnd.ipld.car', new Uint8Array(10))
    expect(archive).toMatchObject(refusal(503, 'NotEnoughResources'))
  })

  test('counts the announced length of all uploads that are under way', async () => {
    expect(await upload(owner, 6_000_000)).toMatchObject(refusal(503, 'NotEnoughResources'))
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => upload(owner, 5_000_000, n)))
    // The test disk does not fill up: what remains is one upload at a time, or more once others have arrived.
    expect(answers.every((answer) => answer.status === 200 || answer.status === 503)).toBe(true)
  })
})
