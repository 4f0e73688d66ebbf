/** A folder on a disk that fails. */
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderPlace } from '../../../../server/operation/replicas/places/folder.ts'

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
