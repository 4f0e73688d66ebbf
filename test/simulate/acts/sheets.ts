/** The recovery sheet of the copies: the command that writes it runs with the settings of the server, or in a shell that lacks them. */
import { writeSheet } from '../../../server/operation/cli/places.ts'
import { dataDir } from '../world/machine.ts'
import { identity } from '../world/place-host.ts'
import { type Act, Violation } from './act.ts'
import { runningMachine } from './choose.ts'

const folder = '/sheets'

export const writeRecoverySheet: Act = {
  weight: 1,
  async run(world, random) {
    const machine = runningMachine(world, random)
    if (!machine || machine.disk.hasFault) return undefined
    const { files } = machine.disk
    const hasSettings = random.chance(0.5)
    const keeper = hasSettings ? machine.keeper : emptyKeeper()
    const file = `${folder}/sheet`
    await files.makeDir(folder)
    const written = await world.drive(
      writeSheet(dataDir, file, { files, keeper }).then(
        () => machine.disk.content(file).toString(),
        () => undefined,
      ),
    )
    if (written !== undefined) await files.remove(file)
    const words = `${machine.name}: a recovery sheet, ${hasSettings ? 'with' : 'without'} the settings of the server`
    if (written !== undefined && !written.includes(identity))
      throw new Violation(`${words}: its key opens no copy`)
    return `${words} → ${written === undefined ? 'none' : 'written'}`
  },
}

/** There are no credentials yet. */
function emptyKeeper() {
  let text: string | undefined
  return {
    read: async () => text,
    write: async (next: string) => {
      text = next
    },
  }
}
