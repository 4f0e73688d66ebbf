/** The recovery sheet as a file. */
import type { RecoverySheet } from './own-places.ts'

/** Returns the text of the file. Lines that begin with # are ignored when its key is read. */
export function sheetText({ key, places }: RecoverySheet): string {
  const lines = [
    'Recovery sheet of a personal data server (Desktop PDS)',
    '',
    'The copies of the server can be read with this key only. Keep it outside of the computer.',
    'Anyone who has the key and a copy can act as all accounts of the server.',
    '',
    'The copies are here:',
    ...places.map((url) => `  ${url}`),
    '',
    'To restore: install Desktop PDS, choose "I have a backup or a copy" at its first start,',
    'then "Restore from a copy". Enter the place and this key.',
    'Without the desktop: npm run restore -- --from URL --key FILE',
  ]
  return `${lines.map((line) => `# ${line}`.trimEnd()).join('\n')}\n${key}\n`
}
