// Package ecs stands for the one of Alibaba Cloud's SDK.
package ecs

// CreateDiskRequest asks for a disk. A ClientToken makes it safe to ask again.
type CreateDiskRequest struct {
	ClientToken string
	DiskName    string
}

// CreateDiskResponse is the answer.
type CreateDiskResponse struct{ DiskId string }

// CreateCreateDiskRequest makes an empty request.
func CreateCreateDiskRequest() *CreateDiskRequest { return &CreateDiskRequest{} }

// Client talks to the service.
type Client struct{}

// CreateDisk asks for a disk.
func (c *Client) CreateDisk(request *CreateDiskRequest) (*CreateDiskResponse, error) {
	return &CreateDiskResponse{DiskId: request.DiskName}, nil
}
