export WEBHOOK_SECRET=whsec_$(openssl rand -base64 33)
python3 receiver.py &
export DROPYARD_WEBHOOK_SECRET=$WEBHOOK_SECRET
dropyard listen --forward-to http://localhost:3000/hooks
