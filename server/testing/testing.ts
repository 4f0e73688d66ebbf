/** The export `desktop-pds/testing`. */
export { version } from '../platform/config/version.ts'
