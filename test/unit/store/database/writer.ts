/** A process for the kill test: writes pairs of rows endlessly, and prints each acknowledged number. */
import { Database } from '../../../../server/store/database.ts'
import { pairs } from '../../../support/store/pairs.ts'

const [directory = ''] = process.argv.slice(2)
const db = await Database.open({
  directory,
  schema: pairs,
  now: () => new Date(),
  checkpointBytes: 10_000,
})
let next = (db.get<{ last: number | null }>('SELECT max(id) AS last FROM one')?.last ?? 0) + 1

async function write(): Promise<never> {
  for (;;) {
    const id = next++
    await db.transact((tx) => {
      tx.run('INSERT INTO one VALUES (?, ?)', [id, 'x'.repeat(id % 1000)])
      tx.run('INSERT INTO two VALUES (?)', [id])
    })
    process.stdout.write(`${id}\n`)
  }
}

await Promise.all([write(), write(), write()])
