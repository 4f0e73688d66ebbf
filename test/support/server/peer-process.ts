/** The real server as a process: `node peer-process.ts DATA_DIR SETTINGS`, with the settings that differ from a test server's as JSON. */

import { startServer } from '../../../server/server.ts'
import { createLogger } from '../../../server/util/log.ts'
import { passwords } from './passwords.ts'
import { testConfig } from './server.ts'

const [, , dataDir = '', settings = '{}'] = process.argv
const config = testConfig({ ...JSON.parse(settings), dataDir })
const { url } = await startServer(config, { log: createLogger(config.logLevel), passwords })
process.stdout.write(`listening on ${url}\n`)
