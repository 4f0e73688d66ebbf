/**
 * Fails with a clear message on a Node.js that is too old. Plain ES5, so that an old Node.js can run it.
 *
 * `npm ci` runs on the Node.js of the system. On an old one npm skips optional packages that the build needs. The other scripts
 * run on Node.js 24, which is a package itself and missing if packages were installed without their scripts.
 */
'use strict'

function isAtLeast(version, major, minor) {
  var parts = version.split('.').map(Number)
  return parts[0] > major || (parts[0] === major && parts[1] >= minor)
}

/** The agent names the Node.js that npm runs on, whichever comes first in PATH. */
function nodeOfNpm() {
  var agent = / node\/v([\d.]+)/.exec(process.env.npm_config_user_agent || '')
  return agent ? agent[1] : process.versions.node
}

function checkInstall(version) {
  if (isAtLeast(version, 22, 12) || (isAtLeast(version, 20, 19) && !isAtLeast(version, 21, 0))) return
  fail(
    'Desktop PDS cannot be installed with Node.js ' +
      version +
      '.\n' +
      'Install Node.js 20.19, 22.12 or later, then run `npm ci` again.',
  )
}

function checkRun(version) {
  if (isAtLeast(version, 24, 0)) return
  fail(
    'Desktop PDS runs on Node.js 24 or later, and this is Node.js ' +
      version +
      '.\n' +
      'Run `npm ci` (without --ignore-scripts): it installs Node.js 24 beside the other packages.',
  )
}

function fail(message) {
  console.error(message)
  process.exit(1)
}

if (process.env.npm_lifecycle_event === 'preinstall') checkInstall(nodeOfNpm())
else checkRun(process.versions.node)
