/** `npm run move`: moves every account to another server, through the running server. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadAdminPassword } from '../../identity/auth/admin-password.ts'
import { createAdminClient } from './admin-client.ts'
import { dataDirOf, report } from './command.ts'
import { moveAccounts } from './move-accounts.ts'
import { openPasswordFile } from './password-file.ts'

const help = `
Moves every account to another server, one after the other, while this server runs.

  npm run move -- --to URL [--invite-code CODE] [--url URL] [--passwords FILE] [--data-dir DIR]
                   [--without-missing-media]

--to is the address of the new server; any server of the network will do. Handles under a domain of this server get the first domain
of the new one, other handles are kept. Each account gets a new password, which is written to FILE before it is used
(DIR/move-passwords unless given; only its owner can read it). Hand the passwords to the owners, then delete the file.

Run the command again after an interruption or a failure: it continues where it ended. Accounts here are left deactivated.
An account whose media cannot all be copied does not move: the files are listed. --without-missing-media moves it without them.
The exit code is 1 if an account could not be moved.
--invite-code is sent for every account. --url is the address of this server, http://127.0.0.1:2583 unless given.
`

await report(async () => {
  const { values } = parseArgs({
    options: {
      to: { type: 'string' },
      'invite-code': { type: 'string' },
      url: { type: 'string', default: `http://127.0.0.1:${process.env.PDS_PORT || 2583}` },
      passwords: { type: 'string' },
      'data-dir': { type: 'string' },
      'without-missing-media': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return help
  if (values.to === undefined) throw new Error(help.trim())
  const dataDir = dataDirOf(values['data-dir'])
  const adminPassword = await loadAdminPassword({
    dataDir,
    adminPassword: process.env.PDS_ADMIN_PASSWORD || undefined,
  })
  const { text, failed } = await moveAccounts({
    client: createAdminClient(values.url, adminPassword),
    server: values.to,
    inviteCode: values['invite-code'],
    withoutMissingMedia: values['without-missing-media'],
    passwords: await openPasswordFile(values.passwords ?? join(dataDir, 'move-passwords')),
    print: (line) => process.stdout.write(`${line}\n`),
  })
  if (failed > 0) process.exitCode = 1
  return text
})
