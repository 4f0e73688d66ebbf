/** A wrong restore is undone: the replaced data come back whole, with the journals that a crash left. */
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { credentialsName } from '../../../../server/operation/replicas/credentials.ts'
import { makeBackup } from '../../../../server/operation/replicas/local/backups.ts'
import { listBackups } from '../../../../server/operation/replicas/local/list.ts'
import { ReplicaKey } from '../../../../server/operation/replicas/replica-key.ts'
import { schema } from '../../../../server/schema/schema.ts'
import { deleteReplaced } from '../../../../server/store/backups/replaced.ts'
import { restore, undoRestore } from '../../../../server/store/backups/restore.ts'
import { Database } from '../../../../server/store/database.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { readReplicaKey, writeReplicaKey } from '../../../../server/store/files/replica-key-file.ts'
import { runCommand } from '../../../support/replicas/copies.ts'

let dir: string
const now = () => new Date()

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pds-undo-'))
})
afterEach(() => rm(dir, { recursive: true }))

const insert = 'INSERT INTO secrets VALUES (?, ?)'

async function rows(): Promise<string[]> {
  const store = await Database.open({ directory: dir, schema, now })
  try {
    const found = store.all<{ name: string }>(
      `SELECT name FROM secrets WHERE name LIKE 'row %' ORDER BY name`,
    )
    return found.map(({ name }) => name)
  } finally {
    await store.close()
  }
}

/** Data with transactions in journals, over which a wrong backup was restored. Returns the folder with the data. */
async function restoredWrongly(): Promise<string> {
  const store = await Database.open({ directory: dir, schema, now })
  const file = join(dir, 'outside.zst')
  await store.copyTo(file)
  await store.transact((tx) => tx.run(insert, ['row 1', Buffer.from('1')]))
  await store.checkpoint()
  await store.transact((tx) => tx.run(insert, ['row 2', Buffer.from('2')]))
  // As a crash leaves them.
  const crashed = await mkdtemp(join(tmpdir(), 'pds-undo-crashed-'))
  const names = (await readdir(dir)).filter((name) => name.startsWith('pds.') && !name.startsWith('pds.lock'))
  for (const name of names) await copyFile(join(dir, name), join(crashed, name))
  await store.close()
  for (const name of await readdir(dir))
    if (name.startsWith('pds.')) await rm(join(dir, name), { recursive: true })
  for (const name of names) await copyFile(join(crashed, name), join(dir, name))
  await rm(crashed, { recursive: true })
  return (await restore({ directory: dir, file, schema, now })) ?? ''
}

test('a folder of replaced data is put back whole; the data that were there are kept', async () => {
  const folder = await restoredWrongly()
  const refused = runCommand('restore', [join(folder, 'pds.sqlite'), '--data-dir', dir])
  await expect(refused).rejects.toThrow(/belongs together.*--undo/s)
  expect(await rows()).toEqual([])
  const output = await runCommand('restore', ['--undo', '--data-dir', dir])
  const [replaced] = (await readdir(dir)).filter((name) => name.startsWith('replaced-'))
  expect(output).toContain(`The replaced files are in ${join(dir, replaced ?? '')}`)
  expect(await rows()).toEqual(['row 1', 'row 2'])
  await runCommand('restore', ['--undo', replaced ?? '', '--data-dir', dir])
  expect(await rows()).toEqual([])
})

test('after a restore while the clock was ahead, an undo needs the name of the folder', async () => {
  const folder = await restoredWrongly()
  await mkdir(join(dir, 'replaced-20990101T000000000Z'))
  const undo = (...names: string[]) => runCommand('restore', ['--undo', ...names, '--data-dir', dir])
  await expect(undo()).rejects.toThrow('The clock is or was wrong')
  await undo(basename(folder))
  expect(await rows()).toEqual(['row 1', 'row 2'])
})

test('the undo of a restore from the place of another server uses the key of before again', async () => {
  const folder = await restoredWrongly()
  const [ours, theirs] = [await ReplicaKey.generate(), await ReplicaKey.generate()]
  await writeReplicaKey(folder, ours.fingerprint)
  await writeReplicaKey(dir, theirs.fingerprint)
  const credentials = join(dir, credentialsName)
  const keys = { key: theirs.identity, earlierKeys: [ours.identity] }
  await writeFile(credentials, JSON.stringify(keys), { mode: 0o600 })
  const undo = () => runCommand('restore', ['--undo', '--data-dir', dir])
  const keyOf = async () => JSON.parse(await readFile(credentials, 'utf8')).key
  expect(await undo()).toContain('The key of the copies is again the one of these data.')
  expect(await keyOf()).toBe(ours.identity)
  await undo()
  expect(await keyOf()).toBe(theirs.identity)
  await writeFile(credentials, JSON.stringify({ key: theirs.identity }), { mode: 0o600 })
  expect(await undo()).toMatch(/Put .* back\. The key of the copies of these data is not on this computer/)
  expect(await rows()).toEqual(['row 1', 'row 2'])
})

test('an undo that cannot begin leaves the key', async () => {
  const folder = await restoredWrongly()
  const theirs = (await ReplicaKey.generate()).fingerprint
  await writeReplicaKey(dir, theirs)
  await rm(join(folder, 'pds.sqlite'))
  await expect(undoRestore({ directory: dir, now }, folder)).rejects.toThrow('has no database')
  expect(await readReplicaKey(dir)).toBe(theirs)
})

test('a folder that an undo puts back is not deleted meanwhile', async () => {
  const folder = await restoredWrongly()
  const forget = () => runCommand('restore', ['--forget', basename(folder), '--data-dir', dir])
  const rename = async (from: string, to: string) => {
    if (from === folder)
      await expect(forget()).rejects.toThrow('is being put back or deleted. Nothing was changed.')
    await nodeFiles.rename(from, to)
  }
  const replaced = await undoRestore({ directory: dir, now, files: { ...nodeFiles, rename } }, folder)
  expect(await rows()).toEqual(['row 1', 'row 2'])
  expect((await readdir(dir)).filter((name) => name.startsWith('replaced-'))).toEqual([basename(replaced)])
})

test('a folder of which a part is deleted is not put back', async () => {
  const folder = await restoredWrongly()
  const cut = new Error('cut')
  const removeDir = () => Promise.reject(cut)
  await expect(deleteReplaced(dir, basename(folder), { ...nodeFiles, removeDir })).rejects.toThrow(cut)
  const undo = runCommand('restore', ['--undo', basename(folder), '--data-dir', dir])
  await expect(undo).rejects.toThrow('has no database. Nothing was changed.')
  expect(await rows()).toEqual([])
  await runCommand('restore', ['--forget', basename(folder), '--data-dir', dir])
  expect((await readdir(dir)).filter((name) => name.startsWith('replaced-'))).toEqual([])
})

test('the command finishes an interrupted undo, and undoes an interrupted restore', async () => {
  const folder = await restoredWrongly()
  await rename(folder, join(dir, 'replaced-undoing'))
  await mkdir(join(dir, 'replaced-pending'))
  const undo = () => runCommand('restore', ['--undo', '--data-dir', dir])
  expect(await undo()).toContain('is finished now')
  expect(await rows()).toEqual(['row 1', 'row 2'])
  await expect(runCommand('restore', ['none', '--data-dir', dir])).rejects.toThrow('none is missing')
  // As a restore that ended after its commit.
  const store = await Database.open({ directory: dir, schema, now })
  await store.close()
  await mkdir(join(dir, 'replaced-pending'))
  await copyFile(join(dir, 'pds.sqlite'), join(dir, 'pds.sqlite.restored'))
  for (const name of (await readdir(dir)).filter((name) => name.endsWith('.journal')))
    await rename(join(dir, name), join(dir, 'replaced-pending', name))
  expect(await undo()).toContain('back. ')
  expect(await rows()).toEqual(['row 1', 'row 2'])
})

test('a folder of replaced data as data folder is refused', async () => {
  const folder = await restoredWrongly()
  const names = await readdir(folder)
  for (const arg of [join(dir, 'outside.zst'), '--salvage'])
    await expect(runCommand('restore', [arg, '--data-dir', folder])).rejects.toThrow('is no data folder')
  expect(await readdir(folder)).toEqual(names)
})

test('an interrupted undo is finished by the next start, wherever it ended', async () => {
  for (let end = 1; ; end++) {
    const folder = await restoredWrongly()
    let calls = 0
    const rename: typeof nodeFiles.rename = async (from, to) => {
      if (++calls > end) throw new Error('the power is cut')
      await nodeFiles.rename(from, to)
    }
    const options = { directory: dir, now, files: { ...nodeFiles, rename } }
    const isDone = await undoRestore(options, folder).then(
      () => true,
      () => false,
    )
    if (end === 2)
      await expect(undoRestore({ directory: dir, now }, folder)).rejects.toThrow('is finished now')
    expect(await rows()).toEqual(['row 1', 'row 2'])
    await rm(dir, { recursive: true })
    await nodeFiles.makeDir(dir)
    if (isDone) break
  }
})

test('a folder as FILE, and a folder of backups as data folder, are refused', async () => {
  const store = await Database.open({ directory: dir, schema, now })
  await makeBackup({ dataDir: dir, now, store })
  await store.close()
  const [backup] = await listBackups(dir)
  const backups = join(dir, 'backups')
  const names = await readdir(backups)
  await expect(runCommand('restore', [backups, '--data-dir', dir])).rejects.toThrow('is a folder. To restore')
  const wrong = runCommand('restore', [join(backups, backup?.parts[0] ?? ''), '--data-dir', backups])
  await expect(wrong).rejects.toThrow('is no data folder')
  const within = runCommand('restore', ['--salvage', '--data-dir', join(dir, 'blobs')])
  await expect(within).rejects.toThrow(`is inside of the data folder ${dir}`)
  expect(await readdir(backups)).toEqual(names)
})

test('the command says whose data it has restored, and of when', async () => {
  const store = await Database.open({ directory: dir, schema, now })
  await store.transact((tx) => {
    for (let n = 1; n <= 7; n++) {
      const did = `did:web:${n}.test`
      tx.run('INSERT INTO actors (id, did) VALUES (?, ?)', [n, did])
      tx.run(
        `INSERT INTO accounts (id, did, handle, is_minted, created_at, signing_key, signing_key_did)
         VALUES (?, ?, ?, 0, ?, x'00', '')`,
        [n, did, `${n}.test`, `203${n}`],
      )
    }
  })
  const file = join(dir, 'outside.zst')
  await store.copyTo(file)
  await store.close()
  const output = await runCommand('restore', [file, '--data-dir', dir])
  expect(output).toContain('It has 1.test, 2.test, 3.test, 4.test, 5.test, 2 more.')
})
