/** The files of a machine, except media and mails, grow with the records that exist, not with those that were deleted. */
import { backupsName, blobsName, copiesName, parseReplacedName } from '../../../server/store/files/layout.ts'
import { Violation } from '../acts/act.ts'
import { dataDir, outbox } from '../world/machine.ts'
import type { World } from '../world/world.ts'

/** The database, its checksums and state, and a few journals. */
const mostFiles = 8
/** Bytes of an empty server with its journal, and of each record: a server may have all, with links, events and notifications. */
const [emptyBytes, recordBytes] = [1_500_000, 20_000]

/** Folders whose files are not counted. */
const others = [blobsName, backupsName, copiesName].map((name) => `${dataDir}/${name}`).concat(outbox)

export async function checkGrowth(world: World): Promise<void> {
  const records = world.people.reduce((sum, person) => sum + person.records.size, 0)
  const most = emptyBytes + recordBytes * records
  for (const { name, disk } of world.machines) {
    const isCounted = (path: string) =>
      !others.some((folder) => path.startsWith(`${folder}/`)) &&
      !path.split('/').some((name) => parseReplacedName(name))
    const paths = disk.paths.filter(isCounted)
    if (paths.length > mostFiles) throw new Violation(`${name} has ${paths.length} files: ${paths.join(' ')}`)
    const bytes = paths.reduce((sum, path) => sum + disk.content(path).length, 0)
    if (bytes > most) throw new Violation(`${name} has ${bytes} bytes for ${records} records`)
  }
}
