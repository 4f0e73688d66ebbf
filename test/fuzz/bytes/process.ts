/** The server as a process that opens backups too, as the main process of the desktop does. `node process.ts DATA_DIR` */
import { runInWorker } from '../../../server/platform/store/backups/tasks.ts'
import { schema } from '../../../server/platform/store/schema.ts'
import { createLogger } from '../../../server/platform/util/log.ts'
import { startServer } from '../../../server/server.ts'
import { passwords } from '../../support/passwords.ts'
import { testConfig } from '../../support/server.ts'

const [, , dataDir = ''] = process.argv
const config = testConfig({ dataDir, publicUrl: undefined })
const { url } = await startServer(config, { log: createLogger(config.logLevel), passwords })
process.send?.({ url })

/** Returns the name of the error that a person reads; undefined for a backup that can be restored. */
process.on('message', async ({ id, file }: { id: number; file: string }) => {
  const error = await runInWorker({ kind: 'describe', dir: dataDir, file, options: { schema } }).then(
    () => undefined,
    (reason: Error) => reason.name,
  )
  process.send?.({ id, error })
})

process.on('disconnect', () => process.exit())
