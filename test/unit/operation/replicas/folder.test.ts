/** A folder on a disk that fails. */
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { folderPlace } from '../../../../server/operation/replicas/places/folder.ts'
import { nodeFiles } from '../../../../server/store/files/files.ts'

test.runIf(process.platform === 'linux')(
  'an object with a damaged sector is damaged, and the folder is not away',
  async () => {
    const root = await mkdtemp(join(tmpdir(), 'pds-folder-'))
    // Reading it fails as a damaged sector does: EIO.
    await symlink('/proc/self/mem', join(root, 'object'))
    const reading = folderPlace(root).get('object')
    await expect(reading).rejects.toMatchObject({ kind: 'damaged', object: 'object' })
    await rm(root, { recursive: true })
  },
)

test('the name of an object, and that of its folder, are on disk when it is stored', async () => {
  const root = await mkdtemp(join(tmpdir(), 'pds-folder-'))
  const synced = vi.spyOn(nodeFiles, 'syncDir')
  await folderPlace(root).put('bases/one/end', Buffer.from('end'))
  expect(synced.mock.calls.flat()).toEqual([join(root, 'bases', 'one'), join(root, 'bases')])
  await rm(root, { recursive: true })
})
