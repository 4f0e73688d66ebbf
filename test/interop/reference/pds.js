/** `node pds.js`: the reference server. Its settings are the `PDS_*` variables. */
import { PDS } from '@atproto/pds'

await PDS.run({ onStarted: () => void process.stdout.write('ready\n') })
