/** The age file format (age-encryption.org/v1). The library takes 5 MB of memory, so it is loaded with the first file. */
export const loadAge = () => import('age-encryption')
