/** The file system in memory: the same facts as for the real one, snapshots, and copies to the real one. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type Files, nodeFiles, writeChunks } from '../../../server/store/files/files.ts'
import { loadFolder, saveFolder } from '../../../server/testing/disk/copy-folder.ts'
import { createMemoryFiles } from '../../../server/testing/disk/memory-files.ts'
import { TestClock } from '../../support/server/clock.ts'

const real = await mkdtemp(join(tmpdir(), 'pds-files-'))
afterAll(() => rm(real, { recursive: true }))

const { now } = new TestClock()
const memory = () => createMemoryFiles({ now })

let count = 0

describe.each<[string, () => Files]>([
  ['on the real disk', () => nodeFiles],
  ['in memory', memory],
])('files %s', (_, open) => {
  let files: Files
  let dir: string
  const path = (...names: string[]) => join(dir, ...names)
  const put = (name: string, content: string) => writeChunks(files, path(name), [Buffer.from(content)])
  const text = async (name: string) => Buffer.from(await files.read(path(name))).toString()
  const chunks = async (name: string, start?: number, end?: number) =>
    (await buffer(files.chunks(path(name), start, end))).toString()
  const code = (value: string) => expect.objectContaining({ code: value })

  beforeEach(async () => {
    files = open()
    dir = join(real, `run-${++count}`)
    await files.makeDir(dir)
  })

  test('makeDir: creates parents, and keeps an existing folder', async () => {
    await files.makeDir(path('a', 'b', 'c'))
    await files.makeDir(path('a'))
    expect(await files.list(path('a'))).toEqual(['b'])
    await put('file', '')
    await expect(files.makeDir(path('file'))).rejects.toEqual(code('EEXIST'))
  })

  test('list: files and folders; nothing for a missing folder; an error for a file', async () => {
    await put('file', 'content')
    await files.makeDir(path('folder'))
    expect((await files.list(dir)).toSorted()).toEqual(['file', 'folder'])
    expect(await files.list(path('missing'))).toEqual([])
    await expect(files.list(path('file'))).rejects.toEqual(code('ENOTDIR'))
  })

  test('read: the content, in a buffer of the caller', async () => {
    await put('file', 'content')
    const content = await files.read(path('file'))
    content.fill(0)
    expect(await text('file')).toBe('content')
  })

  test.each<[string, (missing: string) => Promise<unknown>]>([
    ['read', (missing) => files.read(missing)],
    ['open', (missing) => files.open(missing)],
    ['edit', (missing) => files.edit(missing)],
    ['size', (missing) => files.size(missing)],
    ['changedAt', (missing) => files.changedAt(missing)],
    ['chunks', (missing) => buffer(files.chunks(missing))],
    ['rename', (missing) => files.rename(missing, path('other'))],
    ['link', (missing) => files.link(missing, path('other'))],
    ['restrict', (missing) => files.restrict(missing)],
    ['isPrivate', (missing) => files.isPrivate(missing)],
    ['isSame', (missing) => files.isSame(missing, dir)],
    ['freeBytes', (missing) => files.freeBytes(missing)],
    ['lock', (missing) => files.lock(missing)],
    ['syncDir', (missing) => files.syncDir(missing)],
    ['create', (missing) => files.create(join(missing, 'file'))],
  ])('%s: ENOENT if it is missing', async (_, call) => {
    await expect(call(path('missing'))).rejects.toEqual(code('ENOENT'))
  })

  test('chunks: a range, up to the end of the file; nothing of an empty range', async () => {
    await put('file', '0123456789')
    expect(await chunks('file')).toBe('0123456789')
    expect(await chunks('file', 3)).toBe('3456789')
    expect(await chunks('file', 3, 5)).toBe('34')
    expect(await chunks('file', 8, 20)).toBe('89')
    expect(await chunks('file', 20)).toBe('')
    expect(await chunks('missing', 5, 5)).toBe('')
  })

  test('chunks: a file that is removed or replaced meanwhile is read to its end', async () => {
    const old = Buffer.alloc(700_000, 'old content ')
    await writeChunks(files, path('file'), [old])
    const read: Uint8Array[] = []
    for await (const chunk of files.chunks(path('file'))) {
      if (read.length === 0) {
        await files.remove(path('file'))
        await put('file', 'new')
      }
      read.push(chunk)
    }
    expect(Buffer.concat(read).equals(old)).toBe(true)
    expect(await text('file')).toBe('new')
  })

  test('open: reads blocks anywhere, and sees later writes', async () => {
    await put('file', '0123456789')
    const file = await files.open(path('file'))
    const into = Buffer.alloc(4)
    expect(file.readBlocking(into, 2)).toBe(4)
    expect(into.toString()).toBe('2345')
    expect(file.readBlocking(into, 8)).toBe(2)
    expect(file.readBlocking(into, 100)).toBe(0)
    const editor = await files.edit(path('file'))
    await editor.write(Buffer.from('ab'), 10)
    expect(file.size()).toBe(12)
    await editor.close()
    await file.close()
  })

  test('write: anywhere; zeros fill a gap, also after the file was shortened', async () => {
    const file = await files.create(path('file'))
    expect(await file.write(Buffer.from('abcdef'), 0)).toBe(6)
    await file.write(Buffer.from('XY'), 2)
    await file.truncate(3)
    await file.write(Buffer.from('z'), 5)
    await file.sync()
    await file.close()
    expect(await text('file')).toBe('abX\0\0z')
    await expect(file.write(Buffer.from('late'), 0)).rejects.toThrow()
  })

  test('write: the same bytes as in a buffer, in any order and size', async () => {
    const expected = Buffer.alloc(300_000)
    const file = await files.create(path('file'))
    let seed = 7
    const next = (below: number) => {
      seed = (seed * 48271) % 0x7fff_ffff
      return seed % below
    }
    let size = 0
    for (let round = 0; round < 200; round++) {
      const position = next(200_000)
      const bytes = Buffer.alloc(next(100_000), round + 1)
      await file.write(bytes, position)
      bytes.copy(expected, position)
      if (bytes.length > 0) size = Math.max(size, position + bytes.length)
      if (round % 20 !== 19) continue
      size = next(size)
      await file.truncate(size)
      expected.fill(0, size)
    }
    await file.close()
    expect(await files.size(path('file'))).toBe(size)
    expect(expected.subarray(0, size).equals(await files.read(path('file')))).toBe(true)
    const part = Buffer.from(await chunks('file', 65_000, 140_000), 'utf8')
    expect(part.equals(Buffer.from(expected.subarray(65_000, Math.min(size, 140_000)).toString()))).toBe(true)
  })

  test('create: replaces a file; who has the old one open keeps it', async () => {
    await put('file', 'old content')
    await files.link(path('file'), path('linked'))
    const old = await files.open(path('file'))
    await put('file', 'new')
    expect([await text('file'), await text('linked'), old.size()]).toEqual(['new', 'old content', 11])
    await old.close()
    await files.makeDir(path('folder'))
    await expect(files.create(path('folder'))).rejects.toThrow()
  })

  test('rename: replaces a file, and moves a folder with its content', async () => {
    await put('one', '1')
    await put('two', '2')
    await files.rename(path('one'), path('two'))
    expect(await files.list(dir)).toEqual(['two'])
    expect(await text('two')).toBe('1')
    await files.makeDir(path('folder', 'inner'))
    await put('folder/inner/file', 'deep')
    await files.rename(path('folder'), path('moved'))
    expect(await text('moved/inner/file')).toBe('deep')
    await files.makeDir(path('full'))
    await put('full/file', '')
    await expect(files.rename(path('moved'), path('full'))).rejects.toEqual(code('ENOTEMPTY'))
    await expect(files.rename(path('two'), path('full'))).rejects.toEqual(code('EISDIR'))
    await expect(files.rename(path('moved'), path('two'))).rejects.toEqual(code('ENOTDIR'))
    await expect(files.rename(path('moved'), path('moved', 'inner', 'x'))).rejects.toEqual(code('EINVAL'))
  })

  test('link: a second name of the file; a name that is taken stays', async () => {
    await put('one', '1')
    await put('two', '2')
    await files.link(path('one'), path('linked'))
    await files.link(path('one'), path('two'))
    expect([await text('linked'), await text('two')]).toEqual(['1', '2'])
    expect(await files.isSame(path('one'), path('linked'))).toBe(true)
    expect(await files.isSame(path('one'), path('two'))).toBe(false)
    // Two names of one file: nothing happens.
    await files.rename(path('one'), path('linked'))
    expect((await files.list(dir)).toSorted()).toEqual(['linked', 'one', 'two'])
    await files.remove(path('one'))
    expect(await text('linked')).toBe('1')
  })

  test('remove: a file, also a missing one; a folder is an error', async () => {
    await put('file', '')
    await files.remove(path('file'))
    await files.remove(path('file'))
    await files.remove(path('missing', 'file'))
    await files.makeDir(path('folder'))
    await expect(files.remove(path('folder'))).rejects.toThrow()
    expect(await files.list(dir)).toEqual(['folder'])
  })

  test('removeDir: everything in a folder, also a missing one', async () => {
    await files.makeDir(path('folder', 'inner'))
    await put('folder/inner/file', 'content')
    await files.removeDir(path('folder'))
    await files.removeDir(path('folder'))
    expect(await files.list(dir)).toEqual([])
  })

  test('measureDir: the bytes of all files and the last change; undefined for a file and a missing folder', async () => {
    await files.makeDir(path('folder', 'inner'))
    expect(await files.measureDir(path('folder'))).toEqual({ bytes: 0, changedAt: undefined })
    await put('folder/one', '12345')
    await put('folder/inner/two', '123')
    const changedAt = await files.changedAt(path('folder', 'inner', 'two'))
    expect(await files.measureDir(path('folder'))).toEqual({ bytes: 8, changedAt })
    expect(await files.measureDir(path('missing'))).toBeUndefined()
    expect(await files.measureDir(path('folder', 'one'))).toBeUndefined()
  })

  test('size: of a folder too, without an error', async () => {
    await put('file', '12345')
    expect(await files.size(path('file'))).toBe(5)
    expect(await files.size(dir)).toBeGreaterThanOrEqual(0)
  })

  test('files are private, and there is free space', async () => {
    await put('file', '')
    await files.restrict(path('file'))
    expect(await files.isPrivate(path('file'))).toBe(true)
    expect(await files.freeBytes(dir)).toBeGreaterThan(0)
  })

  test('lock: held once, and again after its release', async () => {
    const lock = await files.lock(dir)
    expect(await lock.isHeld()).toBe(true)
    await expect(files.lock(dir)).rejects.toMatchObject({ name: 'StoreLocked' })
    await lock.release()
    const second = await files.lock(dir)
    expect(await second.isHeld()).toBe(true)
    await second.release()
  })

  test('lock: lost with its folder', async () => {
    await files.makeDir(path('folder'))
    const lock = await files.lock(path('folder'))
    await files.removeDir(path('folder'))
    expect(await lock.isHeld()).toBe(false)
    await lock.release()
  })
})

describe('snapshots', () => {
  const write = (files: Files, path: string, content: Uint8Array | string) =>
    writeChunks(files, path, [Buffer.from(content)])
  const text = async (files: Files, path: string) => Buffer.from(await files.read(path)).toString()

  test('a snapshot and the disks made of it do not change with each other', async () => {
    const files = memory()
    await files.makeDir('/data/folder')
    await write(files, '/data/file', 'first')
    await write(files, '/data/folder/kept', 'kept')
    const open = await files.edit('/data/file')
    const snapshot = files.snapshot()
    await open.write(Buffer.from('F'), 0)
    await open.truncate(3)
    await files.remove('/data/folder/kept')
    await files.makeDir('/data/later')

    const one = createMemoryFiles({ now, from: snapshot })
    const other = createMemoryFiles({ now, from: snapshot })
    await write(one, '/data/one', 'one')
    const edited = await one.edit('/data/file')
    await edited.write(Buffer.from('second'), 0)
    expect(await text(files, '/data/file')).toBe('Fir')
    expect(await text(one, '/data/file')).toBe('second')
    expect(await text(other, '/data/file')).toBe('first')
    expect(await text(other, '/data/folder/kept')).toBe('kept')
    expect(await other.list('/data')).toEqual(['folder', 'file'])
    expect(await files.list('/data/folder')).toEqual([])
  })

  test('files with two names stay one file, and times stay', async () => {
    const files = memory()
    await files.makeDir('/data')
    await write(files, '/data/file', 'content')
    await files.link('/data/file', '/data/linked')
    const restored = createMemoryFiles({ now, from: files.snapshot() })
    expect(await restored.isSame('/data/file', '/data/linked')).toBe(true)
    expect(await restored.changedAt('/data/file')).toEqual(await files.changedAt('/data/file'))
  })

  test('locks do not belong to a snapshot', async () => {
    const files = memory()
    await files.makeDir('/data')
    await files.lock('/data')
    const restored = createMemoryFiles({ now, from: files.snapshot() })
    await restored.lock('/data')
  })

  test('of 50 MB in 500 files take less than 10 ms, and a restored disk too', async () => {
    const files = memory()
    await files.makeDir('/data')
    for (let i = 0; i < 500; i++) await write(files, `/data/${i}`, Buffer.alloc(100_000, i))
    const times = Array.from({ length: 9 }, () => {
      const start = performance.now()
      createMemoryFiles({ now, from: files.snapshot() })
      return performance.now() - start
    })
    expect(times.toSorted((a, b) => a - b)[4]).toBeLessThan(10)
  })

  test('the free bytes are those that the files leave of the capacity', async () => {
    const files = createMemoryFiles({ now, capacity: 1000 })
    await files.makeDir('/folder')
    await writeChunks(files, '/folder/file', [Buffer.alloc(300)])
    expect(await files.freeBytes('/')).toBe(700)
    await writeChunks(files, '/large', [Buffer.alloc(800)])
    expect(await files.freeBytes('/')).toBe(0)
    await files.remove('/large')
    expect(await files.freeBytes('/')).toBe(700)
  })
})

test('a folder comes back from the real disk as it was, links included', async () => {
  const files = memory()
  await files.makeDir('/data/inner/empty')
  await writeChunks(files, '/data/inner/file', [Buffer.alloc(200_000, 'content')])
  await files.link('/data/inner/file', '/data/linked')
  await writeChunks(files, '/data/empty', [])
  const target = join(real, 'saved')
  await saveFolder(files, '/data', target)
  expect(await nodeFiles.isSame(join(target, 'linked'), join(target, 'inner', 'file'))).toBe(true)
  await expect(saveFolder(files, '/data', target)).rejects.toThrow('is not empty')

  const loaded = memory()
  await loadFolder(target, loaded, '/again')
  const contents = (disk: typeof files, dir: string) =>
    new Map([...disk.entries(dir)].map(({ path, isFolder, read }) => [path, isFolder || read()]))
  expect(contents(loaded, '/again')).toEqual(contents(files, '/data'))
  expect(await loaded.isSame('/again/linked', '/again/inner/file')).toBe(true)
})
