/**
 * The real server with frequent checkpoints: `node server.ts DATA_DIR [PLACE CREDENTIALS]`. It makes a backup on SIGUSR2, and copies to the
 * URL of a place with the credentials of a file.
 */
import { makeBackup } from '../../server/operation/replicas/local/backups.ts'
import { startServer } from '../../server/server.ts'
import { passwords } from '../support/server/passwords.ts'
import { testConfig } from '../support/server/server.ts'

const [, , dataDir = '', place, copiesCredentials] = process.argv
const copies = place === undefined ? [] : [place]
const config = testConfig({ dataDir, logLevel: 'error', copies, copiesCredentials })
const { url, services } = await startServer(config, {
  passwords,
  checkpointBytes: 15_000,
})
process.on('SIGUSR2', () => {
  makeBackup({ dataDir, now: () => new Date(), store: services.store }).then(
    () => process.stdout.write('made a backup\n'),
    (error: unknown) => process.stderr.write(`${error}\n`),
  )
})
process.stdout.write(`listening on ${url}\n`)
