/** The real server with frequent checkpoints: `node server.ts DATA_DIR`. It makes a backup on SIGUSR2. */
import { startServer } from '../../server/server.ts'
import { passwords } from '../support/passwords.ts'
import { testConfig } from '../support/server.ts'

const [, , dataDir = ''] = process.argv
const config = testConfig({ dataDir, logLevel: 'error' })
const { url, services } = await startServer(config, {
  passwords,
  checkpointBytes: 15_000,
})
process.on('SIGUSR2', () => {
  services.store.backup().then(
    () => process.stdout.write('made a backup\n'),
    (error: unknown) => process.stderr.write(`${error}\n`),
  )
})
process.stdout.write(`listening on ${url}\n`)
