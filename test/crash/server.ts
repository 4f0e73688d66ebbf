/** The real server with frequent checkpoints and an archive of most events: `node server.ts DATA_DIR`. */
import { startServer } from '../../server/server.ts'
import { lowArchiveLimits } from '../support/archive-limits.ts'
import { passwords } from '../support/passwords.ts'
import { testConfig } from '../support/server.ts'

const [, , dataDir = ''] = process.argv
const config = testConfig({ dataDir, logLevel: 'error' })
const { url } = await startServer(config, {
  passwords,
  checkpointBytes: 15_000,
  archiveLimits: lowArchiveLimits,
})
process.stdout.write(`listening on ${url}\n`)
