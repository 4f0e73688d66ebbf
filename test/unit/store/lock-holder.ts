/** A process of its own for the lock tests: takes the lock of a directory, says how that went, and holds it until its input ends. */
import { StoreLocked } from '../../../server/store/errors.ts'
import { nodeFiles } from '../../../server/store/files.ts'
import { acquireLock } from '../../../server/store/lock.ts'

const [directory = ''] = process.argv.slice(2)
process.stdout.write('ready\n')
process.stdin.once('data', async () => {
  try {
    await acquireLock(nodeFiles, directory)
    process.stdout.write('holds\n')
  } catch (error) {
    process.stdout.write(error instanceof StoreLocked ? `locked by ${error.pid}\n` : `${error}\n`)
  }
})
process.stdin.once('end', () => process.exit())
