/** The mode of a file that nobody else can read; Windows has no such thing. */
export const ownerOnly = process.platform === 'win32' ? 0o666 : 0o600
