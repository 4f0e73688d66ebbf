/** A server that can be killed while it moves an account: `node mover.ts DATA_DIR PUBLIC_URL DIRECTORY_URL`. */
import { startServer } from '../../../../server/server.ts'
import { TestClock } from '../../../support/server/clock.ts'
import { passwords } from '../../../support/server/passwords.ts'
import { testConfig } from '../../../support/server/server.ts'

const [, , dataDir = '', publicUrl = '', plcUrl = ''] = process.argv
const config = testConfig({
  dataDir,
  publicUrl,
  plcUrl,
  allowPrivateTargets: true,
  userDomains: ['.here.test'],
})
const { url } = await startServer(config, { passwords, now: new TestClock().now })
process.stdout.write(`listening on ${url}\n`)
