/**
 * `npm run bench`: time and memory of the server, beside a bare node:http server and the bare disk in the same run, and beside
 * the network's reference server, measured once on another machine with two cores. `npm run bench -- records notifications`
 * runs only these parts. The soak runs only on request: `soak` for 20 minutes, `soak=3` for 3. So do `big`, whose phases and size
 * follow it (see big/big.ts), `copies`, `against COMMIT` (another commit beside this one), `gate` (CPU time beside bare express) and
 * `light` (start and memory of server, main process and page).
 */
import { benchAgainst } from './against.ts'
import { benchBig } from './big/big.ts'
import { benchBlobs } from './blobs.ts'
import { benchCopies } from './copies.ts'
import { removeFolders } from './folders.ts'
import { benchGate } from './gate.ts'
import { benchImport } from './import.ts'
import { benchInstall } from './install.ts'
import { benchLight } from './light.ts'
import { benchNotifications } from './notifications.ts'
import { benchOAuth } from './oauth.ts'
import { benchReading } from './reading.ts'
import { benchRecords } from './records.ts'
import { benchRequests } from './requests.ts'
import { benchSignIn } from './sign-in.ts'
import { benchSize } from './size.ts'
import { benchSoak } from './soak.ts'
import { benchStart } from './start.ts'
import { benchStream } from './stream.ts'
import { benchUi } from './ui.ts'
import { benchUpstream } from './upstream.ts'

const parts = new Map<string, (argument?: number) => void | Promise<void>>([
  ['requests', () => benchRequests()],
  ['sign-in', () => benchSignIn()],
  ['oauth', () => benchOAuth()],
  ['start', () => benchStart()],
  ['records', () => benchRecords()],
  ['stream', () => benchStream()],
  ['size', () => benchSize()],
  ['reading', () => benchReading()],
  ['notifications', () => benchNotifications()],
  ['blobs', () => benchBlobs()],
  ['import', () => benchImport()],
  ['upstream', (minutes) => benchUpstream(minutes)],
  ['ui', () => benchUi()],
  ['install', () => benchInstall()],
  ['soak', (minutes) => benchSoak(minutes)],
])

const all = [...parts.keys()].filter((name) => name !== 'soak')
const args = process.argv.slice(2)
const wanted = args.length > 0 ? args : all

try {
  if (args[0] === 'big') await benchBig(args.slice(1))
  else if (args[0] === 'copies') await benchCopies(args.slice(1))
  else if (args[0] === 'against') await benchAgainst(args.slice(1))
  else if (args[0] === 'gate') await benchGate()
  else if (args[0] === 'light') await benchLight(args.slice(1))
  else await runParts(wanted)
} finally {
  await removeFolders()
}

async function runParts(words: readonly string[]): Promise<void> {
  for (const word of words) {
    const [name = '', argument] = word.split('=')
    const part = parts.get(name)
    if (!part) throw new Error(`There is no part ${name}: the parts are ${[...parts.keys()].join(', ')}`)
    await part(argument === undefined ? undefined : Number(argument))
  }
}
