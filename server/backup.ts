/** `npm run backup`: a backup of the data, also while the server runs. */
import { runCommand } from './command.ts'
import { backup } from './store/backup.ts'

const help = `
Makes a backup of the data, also while the server runs.

  npm run backup [-- --data-dir DIR]

The backup is a whole SQLite file in DIR/backups, checked, with its SHA-256 beside it. The newest seven are kept;
a copy under a name of your own stays as long as you like.
`

await runCommand(help, async ({ dataDir, positionals, list }) => {
  if (positionals.length > 0 || list) throw new Error(help.trim())
  const { file, bytes } = await backup(dataDir, new Date())
  return `${file} (${bytes} bytes)`
})
