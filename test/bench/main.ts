/**
 * `npm run bench`: what the server takes, beside a bare node:http server and a bare disk in the same run, and beside the
 * network's reference server as measured once on another machine of two cores. `npm run bench -- records notifications` runs
 * these parts alone.
 */
import { removeFolders } from './folders.ts'
import { benchInstall } from './install.ts'

import { benchNotifications } from './notifications.ts'
import { benchRecords } from './records.ts'
import { benchRequests } from './requests.ts'
import { benchStart } from './start.ts'
import { benchUi } from './ui.ts'

const parts = new Map<string, () => void | Promise<void>>([
  ['requests', benchRequests],
  ['start', benchStart],
  ['records', benchRecords],

  ['notifications', benchNotifications],
  ['ui', benchUi],
  ['install', benchInstall],
])

const wanted = process.argv.length > 2 ? process.argv.slice(2) : [...parts.keys()]

try {
  for (const name of wanted) {
    const part = parts.get(name)
    if (!part) throw new Error(`There is no part ${name}: the parts are ${[...parts.keys()].join(', ')}`)
    await part()
  }
} finally {
  await removeFolders()
}
