/** Opens the store of the data directory with the limits of the configuration, and logs what happens to it. */

import { Database, type OpenOptions } from '../store/database.ts'
import { isDamage, nodeFiles } from '../store/files/files.ts'
import { testNetworkName } from '../store/files/layout.ts'
import { StoreForTests } from '../store/files/store-errors.ts'
import type { Logger } from '../util/log.ts'
import type { Config } from './config/config.ts'

export interface StoreOptions
  extends Pick<OpenOptions, 'schema' | 'files' | 'now' | 'checkpointBytes' | 'freeBytes' | 'onLockLost'> {
  readonly log: Logger
}

/** @throws StoreForTests, and as `Database.open` */
export async function startStore({ dataDir, diskReserve }: Config, options: StoreOptions): Promise<Database> {
  const { schema, files = nodeFiles, now, log, checkpointBytes, freeBytes, onLockLost } = options
  if ((await files.list(dataDir)).includes(testNetworkName)) throw new StoreForTests(dataDir)
  return Database.open({
    directory: dataDir,
    files,
    schema,
    now,
    checkpointBytes,
    diskReserve,
    freeBytes,
    onUpgrade: ({ state, ...versions }) => log.info(versions, `data upgrade ${state}`),
    onCompacted: (bytes) => log.info({ bytes }, 'database compacted'),
    onDroppedTail: (tail) => log.warn(tail, 'incomplete end of the journal dropped'),
    onReadAgain: () =>
      log.warn('data that failed a check passed it when they were read again: check the disk'),
    onDamagedChecksum: () => log.warn('checksum of the database was damaged, written anew'),
    onFault: (error) => log.error({ err: error }, 'checkpoint failed, retrying later'),
    onDamagedPage: (error) => log.error({ err: error }, 'page of the database is damaged'),
    onWatcherFault(error) {
      // A page that cannot be read was logged when it was found.
      if (!isDamage(error)) log.error({ err: error }, 'work after a change of the data failed')
    },
    onUnloadable: (error) => log.warn({ err: error }, 'worker cannot be loaded'),
    onLockLost: (error) => {
      log.fatal({ err: error }, 'lock of the data folder lost, nothing more is written')
      onLockLost?.(error)
    },
  })
}
