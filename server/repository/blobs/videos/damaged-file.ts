/** Name of the error for a video whose file does not match its CID: errors lose their class between threads. */
export const damagedFile = 'DamagedFile'
