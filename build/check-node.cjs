/**
 * Fails with a clear message where an npm script runs on an old Node.js: the right one is a package, which is missing
 * when packages were not installed, or without their install scripts. Plain ES5, so that an old Node.js can run it.
 */
'use strict'

var required = 24
var version = process.versions.node

if (Number(version.split('.')[0]) < required) {
  console.error(
    'Desktop PDS needs Node.js ' +
      required +
      ' or later, and this is Node.js ' +
      version +
      '.\n' +
      'Run `npm ci` (without --ignore-scripts): it installs Node.js ' +
      required +
      ' beside the other packages.\n' +
      'Installing them needs Node.js 20 or later.',
  )
  process.exit(1)
}
