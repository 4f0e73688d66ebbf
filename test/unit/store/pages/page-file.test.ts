import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeFiles } from '../../../../server/store/files/files.ts'
import { StoreDamaged } from '../../../../server/store/files/store-errors.ts'
import { pageBytes } from '../../../../server/store/pages/page.ts'
import { PageChecksums } from '../../../../server/store/pages/page-checksums.ts'
import { PageFile } from '../../../../server/store/pages/page-file.ts'

test('the page that SQLite leaves empty at 1 GiB is read as empty, also from a file that ends before it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pds-test-'))
  try {
    const path = join(folder, 'large')
    const lockPage = 1024 ** 3 / pageBytes + 1
    // A sparse file.
    const handle = await open(path, 'w')
    for (const pages of [lockPage - 1, lockPage, lockPage + 1]) {
      await handle.truncate(pages * pageBytes)
      const file = await PageFile.open(nodeFiles, path, new PageChecksums())
      expect(file.read(lockPage)).toEqual(Buffer.alloc(pageBytes))
      expect(() => file.read(lockPage + 1)).toThrow(StoreDamaged)
      await file.close()
    }
    await handle.close()
  } finally {
    await rm(folder, { recursive: true })
  }
})
