/** File mode of private files; Windows has no POSIX modes. */
export const ownerOnly = process.platform === 'win32' ? 0o666 : 0o600
