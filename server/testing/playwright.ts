/** The export `desktop-pds/playwright`. */
export { version } from '../platform/config/version.ts'
