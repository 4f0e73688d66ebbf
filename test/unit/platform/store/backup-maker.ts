/**
 * A process of its own for the backup tests: makes backups of a directory and prints how many notes each
 * holds.
 */
import { backup } from '../../../../server/platform/store/backups/backup.ts'
import { openBytes } from '../../../support/database-bytes.ts'

const [directory = '', times] = process.argv.slice(2)
for (let i = 0; i < Number(times); i++) {
  const { file } = await backup(directory, new Date())
  const sqlite = await openBytes(file)
  process.stdout.write(`${sqlite.get<{ n: number }>('SELECT count(*) AS n FROM note')?.n}\n`)
  sqlite.close()
}
