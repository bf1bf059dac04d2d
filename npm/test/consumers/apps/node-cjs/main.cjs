const millrace = require('millrace')

import('../scenario.mjs')
  .then(({ scenario }) => scenario(millrace))
  .then((seen) => console.log(JSON.stringify(seen)))
