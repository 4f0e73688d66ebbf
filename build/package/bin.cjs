#!/usr/bin/env node
/** The command `desktop-pds`. ES5, so that an old Node.js can run it: the check ends the program there. */
'use strict'

require('./dist/server/util/check-node.cjs')
require('./dist/start.cjs')
