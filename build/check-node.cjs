/**
 * Fails with a clear message on a Node.js that is too old. Plain ES5, so that an old Node.js can run it.
 *
 * npm runs on the Node.js of the system. On an old one `npm ci` skips optional packages that the build needs. Scripts run on
 * Node.js 24, which is a package itself and missing if packages were not installed, or without their install scripts.
 */
'use strict'

function isAtLeast(version, major, minor) {
  var parts = version.split('.').map(Number)
  return parts[0] > major || (parts[0] === major && parts[1] >= minor)
}

function canInstall(version) {
  return isAtLeast(version, 22, 12) || (isAtLeast(version, 20, 19) && !isAtLeast(version, 21, 0))
}

function fail(message) {
  console.error(message)
  process.exit(1)
}

var agent = / node\/v([\d.]+)/.exec(process.env.npm_config_user_agent || '')
if (agent && !canInstall(agent[1])) {
  fail(
    'Node.js ' +
      agent[1] +
      ' is too old to install Desktop PDS.\n' +
      'Install Node.js 20.19, 22.12 or later, then run `npm ci` again.',
  )
}
if (!require('fs').existsSync(require('path').join(__dirname, '../node_modules'))) {
  fail('The packages are not installed. Run `npm ci`.')
}
if (!isAtLeast(process.versions.node, 24, 0)) {
  fail(
    'Desktop PDS runs on Node.js 24, which is not installed: this is Node.js ' +
      process.versions.node +
      '.\n' +
      'Run `npm ci` (without --ignore-scripts). It installs Node.js 24 beside the other packages.',
  )
}
