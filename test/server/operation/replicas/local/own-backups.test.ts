/** The backups over HTTP, for the owner on the computer of the server. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { nodeFiles } from '../../../../../server/store/files/files.ts'
import { blobOf, filesIn, png } from '../../../../support/records/blobs.ts'
import { adminAuth, refusal } from '../../../../support/server/server.ts'
import { owner, server, setupServer } from '../../../../support/server/setup.ts'
import { inlineFiles } from '../../../../support/store/inline-files.ts'

type Auth = Parameters<typeof server.get>[2]
const admin = 'com.core.admin'
const list = (auth: Auth = owner) => server.get(`${admin}.listBackups`, {}, auth)
const make = (auth: Auth = owner) => {
  server.clock.advance(1000)
  return server.post(`${admin}.makeBackup`, undefined, auth)
}
const check = (id: string, auth: Auth = owner) => server.post(`${admin}.checkBackup`, { id }, auth)
const remove = (id: string, auth: Auth = owner, password: string | undefined = owner.password) =>
  server.post(`${admin}.deleteBackup`, { id, password }, auth)
const undo = (id: string) => server.post(`${admin}.deleteBackup`, { id, undo: true }, owner)
const ids = async () => (await list()).body.backups.map(({ id }: { id: string }) => id)
const notFound = refusal(400, 'BackupNotFound')
const backups = () => server.running.services.operation.backups

describe('on a disk with space', () => {
  setupServer({ accounts: ['olga'], files: inlineFiles, per: 'test' })

  test('the owner makes a backup, which is tested, and tests it again', async () => {
    expect((await list()).body).toEqual({
      backups: [],
      making: false,
      folder: `${server.config.dataDir}/backups`,
    })
    const { body: made, status } = await make()
    expect(status).toBe(200)
    expect(made).toMatchObject({ partial: false, bytes: expect.any(Number) })
    expect(made.proof.provenAt >= made.at).toBe(true)
    expect((await list()).body.backups).toEqual([made])
    server.clock.advance(60_000)
    const { body: checked } = await check(made.id)
    expect(checked.proof.provenAt > made.proof.provenAt).toBe(true)
    expect((await list(adminAuth)).body.backups).toEqual([checked])
  })

  test('calls while a backup is made get the same one, and the list says that it is being made', async () => {
    const { store } = server.running.services
    const held = Promise.withResolvers<void>()
    const copyTo = store.copyTo.bind(store)
    const begun = Promise.withResolvers<void>()
    vi.spyOn(store, 'copyTo').mockImplementation(async (...args) => {
      begun.resolve()
      await held.promise
      return copyTo(...args)
    })
    const both = [make(), make(adminAuth)]
    await begun.promise
    expect((await list()).body).toMatchObject({ backups: [], making: true })
    held.resolve()
    const [first, second] = await Promise.all(both)
    expect(first?.body.id).toBe(second?.body.id)
    expect((await list()).body).toMatchObject({ backups: [{ id: first?.body.id }], making: false })
  })

  test('a deleted backup comes back with an undo, until its files are removed', async () => {
    const { body: old } = await make()
    const { ref } = await blobOf(server, owner, png('only in the new one', 100))
    const record = { avatar: { $type: 'blob', ref, mimeType: 'image/png', size: 100 } }
    const profile = { repo: owner.did, collection: 'app.example.actor.profile', rkey: 'self', record }
    expect((await server.post('com.core.repo.putRecord', profile, owner)).status).toBe(200)
    const { body: made } = await make()
    const media = () => filesIn(server.config.dataDir, 'backups', 'blobs')
    expect(await media()).toHaveLength(1)

    expect((await remove(made.id)).status).toBe(200)
    expect(await ids()).toEqual([old.id])
    expect(await check(made.id)).toMatchObject(notFound)
    expect(await remove(made.id)).toMatchObject(notFound)
    // A round that begins right after the deletion leaves it.
    await backups().eraseDeleted()
    expect((await undo(made.id)).status).toBe(200)
    expect(await ids()).toEqual([made.id, old.id])
    expect((await check(made.id)).body.proof).not.toHaveProperty('problem')

    await remove(made.id)
    await backups().eraseDeleted()
    expect(await media()).toHaveLength(1)
    await backups().eraseDeleted()
    expect(await undo(made.id)).toMatchObject(notFound)
    expect(await media()).toEqual([])
    expect((await check(old.id)).body.proof).not.toHaveProperty('problem')
  })

  test('a session deletes no backup without the main password, and the admin password does', async () => {
    const { body: made } = await make()
    const alone = await server.post(`${admin}.deleteBackup`, { id: made.id }, owner)
    expect(alone).toMatchObject(refusal(400, 'PasswordRequired'))
    expect(await remove(made.id, owner, 'a guess')).toMatchObject(refusal(401, 'AuthenticationRequired'))
    expect(await ids()).toEqual([made.id])
    expect((await server.post(`${admin}.deleteBackup`, { id: made.id }, adminAuth)).status).toBe(200)
    expect(await ids()).toEqual([])
  })

  test('a backup that was deleted before a restart is removed', async () => {
    const { body: made } = await make()
    await remove(made.id)
    await server.restart()
    await backups().eraseDeleted()
    expect(await undo(made.id)).toMatchObject(notFound)
    expect(await filesIn(server.config.dataDir, 'backups', 'bases')).toEqual([])
  })

  test('ids that name no backup change nothing', async () => {
    const { body: made } = await make()
    for (const id of ['', '.', '..', '../bases', `${made.id}/end`, '../../pds.sqlite', 'x'.repeat(200)]) {
      for (const call of [check, remove, undo]) expect(await call(id)).toMatchObject(notFound)
    }
    expect(await ids()).toEqual([made.id])
  })

  test('others, apps, and the owner on another computer are refused', async () => {
    const { body: made } = await make()
    const guest = await server.account('guest')
    const { accessJwt: app } = await server.appSession(owner, 'phone')
    const elsewhere = (nsid: string, init: RequestInit) => {
      const sent = { authorization: `Bearer ${owner.accessJwt}`, 'x-forwarded-for': '192.0.2.7' }
      const headers = { ...sent, 'content-type': 'application/json' }
      return server.fetch(`/xrpc/${admin}.${nsid}`, { ...init, headers })
    }
    const forbidden = refusal(403, 'Forbidden')
    for (const call of [
      list,
      make,
      (auth: Auth) => check(made.id, auth),
      (auth: Auth) => remove(made.id, auth),
    ]) {
      expect(await call(guest)).toMatchObject(forbidden)
      expect((await call(app)).status).not.toBe(200)
    }
    const notHere = refusal(400, 'NotAtThisComputer')
    const body = JSON.stringify({ id: made.id })
    expect(await elsewhere('listBackups', {})).toMatchObject(notHere)
    expect(await elsewhere('makeBackup', { method: 'POST' })).toMatchObject(notHere)
    expect(await elsewhere('checkBackup', { method: 'POST', body })).toMatchObject(notHere)
    expect(await elsewhere('deleteBackup', { method: 'POST', body })).toMatchObject(notHere)
    expect(await ids()).toEqual([made.id])
  })
})

describe('on a disk with too little space, or one that is read-only', () => {
  const plenty = async () => Number.POSITIVE_INFINITY
  let readFree = plenty
  let fault: string | undefined
  const failing = <A extends unknown[], T>(work: (...args: A) => Promise<T>) => {
    return async (...args: A) => {
      if (fault) throw Object.assign(new Error(`${fault}: /a/path`), { code: fault })
      return work(...args)
    }
  }
  const { makeDir, rename } = nodeFiles
  const files = {
    ...nodeFiles,
    ...{ makeDir: failing(makeDir), rename: failing(rename), freeBytes: () => readFree() },
  }
  setupServer({ accounts: ['olga'], files, per: 'test' })
  afterEach(() => {
    readFree = plenty
    fault = undefined
  })

  test('the answer says what to do, and the server goes on', async () => {
    const { body: made } = await make()
    readFree = async () => 0
    expect(await make()).toMatchObject(refusal(400, 'BackupFailed', expect.stringMatching(/Free disk space/)))
    expect((await list()).body).toMatchObject({ backups: [made], making: false })
    readFree = plenty
    for (const [code, remedy] of [
      ['ENOSPC', /Free disk space/],
      ['EROFS', /permissions/],
      ['ENOTDIR', /Move it elsewhere/],
    ] as const) {
      fault = code
      for (const call of [make, () => remove(made.id)]) {
        const answer = await call()
        expect(answer).toMatchObject(refusal(400, 'BackupFailed', expect.stringMatching(remedy)))
        expect(answer.body.message).not.toContain('/a/path')
      }
      fault = undefined
    }
    expect((await make()).status).toBe(200)
  })

  test('a new backup takes the space of deleted ones', async () => {
    const { body: made } = await make()
    await remove(made.id)
    const hidden = async () =>
      (await nodeFiles.list(`${server.config.dataDir}/backups/bases`)).filter((name) =>
        name.endsWith('.deleted'),
      )
    readFree = async () => ((await hidden()).length > 0 ? 0 : Number.POSITIVE_INFINITY)
    expect((await make()).status).toBe(200)
    expect(await undo(made.id)).toMatchObject(notFound)
  })
})
