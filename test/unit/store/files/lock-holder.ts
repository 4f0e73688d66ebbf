/** A process for the lock tests: takes the lock of a directory, prints the outcome, and holds it until its input ends. */

import { acquireLock, acquireSystemLock } from '../../../../server/store/files/lock.ts'
import { StoreLocked } from '../../../../server/store/files/store-errors.ts'

const [directory = '', kind] = process.argv.slice(2)
const acquire = kind === 'system' ? acquireSystemLock : acquireLock
process.stdout.write('ready\n')
process.stdin.once('data', async () => {
  try {
    await acquire(directory)
    process.stdout.write('holds\n')
  } catch (error) {
    process.stdout.write(error instanceof StoreLocked ? `locked by ${error.pid}\n` : `${error}\n`)
  }
})
process.stdin.once('end', () => process.exit())
