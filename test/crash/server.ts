/** The real server with constant checkpoints: `node server.ts DATA_DIR`. */
import { defaultConfig } from '../../server/config/config.ts'
import { startServer } from '../../server/server.ts'
import { adminPassword } from '../support/server.ts'

const [, , dataDir = ''] = process.argv
const config = defaultConfig({
  dataDir,
  port: 0,
  hosts: ['127.0.0.1'],
  publicUrl: 'https://pds.test',
  adminPassword,
  rateLimits: false,
  logLevel: 'error',
})
const { url } = await startServer(config, { passwordCost: 4, checkpointBytes: 1 })
process.stdout.write(`listening on ${url}\n`)
