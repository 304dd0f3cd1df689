export DROPYARD_URL='%URL%' DROPYARD_KEY='%KEY%' DROPYARD_SECRET='%SECRET%'
dropyard listen --since 1h
