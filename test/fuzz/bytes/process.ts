/** The server as a process that opens backups too, as the main process of the desktop does. `node process.ts DATA_DIR` */

import { schema } from '../../../server/schema/schema.ts'
import { startServer } from '../../../server/server.ts'
import { runInWorker } from '../../../server/store/backups/tasks.ts'
import { createLogger } from '../../../server/util/log.ts'
import { passwords } from '../../support/server/passwords.ts'
import { testConfig } from '../../support/server/server.ts'

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
