/** A process of its own for the tests of backups: makes backups of a directory and prints how many notes each has. */
import { makeBackup } from '../../../../../server/operation/replicas/local/backups.ts'
import { databaseOf } from '../../../../support/replicas/local-backups.ts'
import { openBytes } from '../../../../support/store/database-bytes.ts'

const [dataDir = '', times] = process.argv.slice(2)
for (let i = 0; i < Number(times); i++) {
  const made = await makeBackup({ dataDir, now: () => new Date() })
  const sqlite = await openBytes(databaseOf(dataDir, made))
  process.stdout.write(`${sqlite.get<{ n: number }>('SELECT count(*) AS n FROM note')?.n}\n`)
  sqlite.close()
}
