/** The real server with frequent checkpoints: `node server.ts DATA_DIR`. */
import { startServer } from '../../server/server.ts'
import { passwords } from '../support/passwords.ts'
import { testConfig } from '../support/server.ts'

const [, , dataDir = ''] = process.argv
const config = testConfig({ dataDir, logLevel: 'error' })
const { url } = await startServer(config, { passwords, checkpointBytes: 50_000 })
process.stdout.write(`listening on ${url}\n`)
