/** Text for command lines that people copy. */

/** Quotes an argument for the shell of a system: POSIX shells, or cmd.exe and PowerShell on Windows. */
export function shellQuoted(text: string, platform: NodeJS.Platform = process.platform): string {
  if (/^[\w@%+=:,./~\\-]+$/.test(text) && (platform === 'win32' || !text.includes('\\'))) return text
  return platform === 'win32' ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`
}
